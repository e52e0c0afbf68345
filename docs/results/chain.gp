# Run in this folder: gnuplot chain.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 640,560 enhanced font 'Helvetica,14' background rgb 'white'
set output 'chain.svg'
set title "|A_{ij}| learned from 500 sequences of a chain\nL = 60, q = 3, one head, L-BFGS"
unset grid
set border 15
set size ratio 1
set xlabel 'site j'
set ylabel 'site i'
set cblabel '|A_{ij}| (units of 1 / |V|)'
set xrange [-0.5:59.5]
set yrange [59.5:-0.5]
plot 'chain.csv' using 'j':'i':'strength' with image notitle
unset output
set terminal pngcairo size 640,560 enhanced font 'Helvetica,14' background rgb 'white'
set output 'chain.png'
set title "|A_{ij}| learned from 500 sequences of a chain\nL = 60, q = 3, one head, L-BFGS"
unset grid
set border 15
set size ratio 1
set xlabel 'site j'
set ylabel 'site i'
set cblabel '|A_{ij}| (units of 1 / |V|)'
set xrange [-0.5:59.5]
set yrange [59.5:-0.5]
plot 'chain.csv' using 'j':'i':'strength' with image notitle
unset output
