# Run in this folder: gnuplot dotattn-overlaps.gp
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
set terminal svg size 760,1000 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn-overlaps.svg'
set datafile missing ''
unset xlabel
unset label
set multiplot layout 3,1 margins 0.17,0.97,0.08,0.9 spacing 0.02
set title "Dot-product attention, omega = 0.3, sigma = 0.5, lambda = 0.01\nlines: theory; points: descent in 1000 dimensions, 12 runs, standard errors" font ',12'
set xrange [0:3]
set key bottom right noreverse Right samplen 3 font ',11'
set arrow 1 from first 1.25154, graph 0 to first 1.25154, graph 1 nohead ls 3
set format x ''
set ylabel 'overlaps' offset 1,0
set yrange [0:0.32]
set label 1 ' {/Symbol a}_c = 1.252' at 1.25154, graph 0.94 left
plot 'dotattn-overlaps.csv' using 'alpha':'overlap_semantic' with lines ls 1 title '{/Symbol q}, semantic branch', 'dotattn-overlaps.csv' using 'alpha':'overlap_positional' with lines ls 2 dt 2 title 'm, positional branch', 'dotattn-overlaps.csv' using 'alpha':'overlap_semantic_sim':'overlap_semantic_sim_sem' with yerrorbars ls 1 notitle, 'dotattn-overlaps.csv' using 'alpha':'overlap_positional_sim':'overlap_positional_sim_sem' with yerrorbars ls 2 notitle
unset label 1
unset title
set key bottom left reverse Left
set yrange [0:*]
set ylabel 'generalisation loss e_g' offset 1,0
set label 2 'attention is better: {/Symbol a} > 1.492' at graph 0.98, first 0.00197138 right offset 0,0.7 font ',11'
plot 'dotattn-overlaps.csv' using 'alpha':'eg_semantic' with lines ls 1 title 'semantic', 'dotattn-overlaps.csv' using 'alpha':'eg_positional' with lines ls 2 dt 2 title 'positional', 'dotattn-overlaps.csv' using 'alpha':'eg_semantic_sim':'eg_semantic_sim_sem' with yerrorbars ls 1 notitle, 'dotattn-overlaps.csv' using 'alpha':'eg_positional_sim':'eg_positional_sim_sem' with yerrorbars ls 2 notitle, 0.001971384335 with lines ls 4 title 'best linear map of positions'
unset label 2
set format x
set xlabel 'samples per dimension {/Symbol a}'
set key top left reverse Left
set ylabel 'training loss e_t' offset 1,0
plot 'dotattn-overlaps.csv' using 'alpha':'et_semantic' with lines ls 1 title 'semantic', 'dotattn-overlaps.csv' using 'alpha':'et_positional' with lines ls 2 dt 2 title 'positional', 'dotattn-overlaps.csv' using 'alpha':'et_semantic_sim':'et_semantic_sim_sem' with yerrorbars ls 1 notitle, 'dotattn-overlaps.csv' using 'alpha':'et_positional_sim':'et_positional_sim_sem' with yerrorbars ls 2 notitle
unset multiplot
unset output
unset multiplot
set terminal pngcairo size 760,1000 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn-overlaps.png'
set datafile missing ''
unset xlabel
unset label
set multiplot layout 3,1 margins 0.17,0.97,0.08,0.9 spacing 0.02
set title "Dot-product attention, omega = 0.3, sigma = 0.5, lambda = 0.01\nlines: theory; points: descent in 1000 dimensions, 12 runs, standard errors" font ',12'
set xrange [0:3]
set key bottom right noreverse Right samplen 3 font ',11'
set arrow 1 from first 1.25154, graph 0 to first 1.25154, graph 1 nohead ls 3
set format x ''
set ylabel 'overlaps' offset 1,0
set yrange [0:0.32]
set label 1 ' {/Symbol a}_c = 1.252' at 1.25154, graph 0.94 left
plot 'dotattn-overlaps.csv' using 'alpha':'overlap_semantic' with lines ls 1 title '{/Symbol q}, semantic branch', 'dotattn-overlaps.csv' using 'alpha':'overlap_positional' with lines ls 2 dt 2 title 'm, positional branch', 'dotattn-overlaps.csv' using 'alpha':'overlap_semantic_sim':'overlap_semantic_sim_sem' with yerrorbars ls 1 notitle, 'dotattn-overlaps.csv' using 'alpha':'overlap_positional_sim':'overlap_positional_sim_sem' with yerrorbars ls 2 notitle
unset label 1
unset title
set key bottom left reverse Left
set yrange [0:*]
set ylabel 'generalisation loss e_g' offset 1,0
set label 2 'attention is better: {/Symbol a} > 1.492' at graph 0.98, first 0.00197138 right offset 0,0.7 font ',11'
plot 'dotattn-overlaps.csv' using 'alpha':'eg_semantic' with lines ls 1 title 'semantic', 'dotattn-overlaps.csv' using 'alpha':'eg_positional' with lines ls 2 dt 2 title 'positional', 'dotattn-overlaps.csv' using 'alpha':'eg_semantic_sim':'eg_semantic_sim_sem' with yerrorbars ls 1 notitle, 'dotattn-overlaps.csv' using 'alpha':'eg_positional_sim':'eg_positional_sim_sem' with yerrorbars ls 2 notitle, 0.001971384335 with lines ls 4 title 'best linear map of positions'
unset label 2
set format x
set xlabel 'samples per dimension {/Symbol a}'
set key top left reverse Left
set ylabel 'training loss e_t' offset 1,0
plot 'dotattn-overlaps.csv' using 'alpha':'et_semantic' with lines ls 1 title 'semantic', 'dotattn-overlaps.csv' using 'alpha':'et_positional' with lines ls 2 dt 2 title 'positional', 'dotattn-overlaps.csv' using 'alpha':'et_semantic_sim':'et_semantic_sim_sem' with yerrorbars ls 1 notitle, 'dotattn-overlaps.csv' using 'alpha':'et_positional_sim':'et_positional_sim_sem' with yerrorbars ls 2 notitle
unset multiplot
unset output
