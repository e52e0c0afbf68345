# Run in this folder: gnuplot dotattn-phase.gp
set datafile separator ','
set encoding utf8
set border 3 lw 1
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
set style line 4 lc rgb '#777777' lw 1.5 dt 4
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 860,640 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn-phase.svg'
set title "Dot-product attention: the smaller training loss, sigma = 0.5, lambda = 0.01" font ',13'
set xlabel 'samples per dimension {/Symbol a}'
set ylabel 'share of positions in the teacher {/Symbol w}'
set cblabel 'training loss: (positional - semantic) / positional'
set key outside bottom center horizontal samplen 4 font ',12'
set xrange [0.25:3]
set yrange [0:0.48]
set cbrange [-0.25:0.25]
unset grid
set bmargin 7
set label 1 'positional' at graph 0.05, graph 0.90 left front tc rgb 'white' font ',16'
set label 2 'semantic' at graph 0.95, graph 0.10 right front tc rgb 'black' font ',16'
set datafile missing ''
plot 'dotattn-phase.csv' using 'alpha':'omega':(strlen(strcol('difference')) ? column('difference') : NaN) with image notitle, \
  'dotattn-phase.csv' using 'alpha_c':'omega' with lines lw 3.5 lc rgb 'white' notitle, \
  'dotattn-phase.csv' using 'alpha_c':'omega' with lines lw 2 lc rgb 'black' title '{/Symbol a}_c: the training losses cross', \
  'dotattn-phase.csv' using 'alpha_linear':'omega' with lines lw 3.5 lc rgb 'white' notitle, \
  'dotattn-phase.csv' using 'alpha_linear':'omega' with lines lw 2 lc rgb 'black' dt 2 title 'better than the best linear map of positions'
unset output
unset multiplot
set terminal pngcairo size 860,640 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn-phase.png'
set title "Dot-product attention: the smaller training loss, sigma = 0.5, lambda = 0.01" font ',13'
set xlabel 'samples per dimension {/Symbol a}'
set ylabel 'share of positions in the teacher {/Symbol w}'
set cblabel 'training loss: (positional - semantic) / positional'
set key outside bottom center horizontal samplen 4 font ',12'
set xrange [0.25:3]
set yrange [0:0.48]
set cbrange [-0.25:0.25]
unset grid
set bmargin 7
set label 1 'positional' at graph 0.05, graph 0.90 left front tc rgb 'white' font ',16'
set label 2 'semantic' at graph 0.95, graph 0.10 right front tc rgb 'black' font ',16'
set datafile missing ''
plot 'dotattn-phase.csv' using 'alpha':'omega':(strlen(strcol('difference')) ? column('difference') : NaN) with image notitle, \
  'dotattn-phase.csv' using 'alpha_c':'omega' with lines lw 3.5 lc rgb 'white' notitle, \
  'dotattn-phase.csv' using 'alpha_c':'omega' with lines lw 2 lc rgb 'black' title '{/Symbol a}_c: the training losses cross', \
  'dotattn-phase.csv' using 'alpha_linear':'omega' with lines lw 3.5 lc rgb 'white' notitle, \
  'dotattn-phase.csv' using 'alpha_linear':'omega' with lines lw 2 lc rgb 'black' dt 2 title 'better than the best linear map of positions'
unset output
